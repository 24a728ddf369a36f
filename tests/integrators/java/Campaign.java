import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.CampaignsApi;
import org.openapitools.client.api.ListsAndPeopleApi;
import org.openapitools.client.api.SendersApi;
import org.openapitools.client.api.WebhooksAndEventsApi;
import org.openapitools.client.model.*;

/** Creates a list, previews and starts a campaign, and asks for its events: the address and the key are its arguments. */
class Campaign {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(arguments[0]);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + arguments[1]));
    var hook = new NewWebhook().name("CRM").url(arguments[2]).event(NewWebhook.EventEnum.INVITE_SENT);
    WebhooksAndEventsApi hooks = new WebhooksAndEventsApi(client);
    String secret = hooks.webhooksCreate(hook, null).getSecret();

    ListsAndPeopleApi lists = new ListsAndPeopleApi(client);
    long list = lists.listsCreate(new NewList().name("Founders"), null).getId();
    var ada = new NewLead().publicId("ada").firstName("Ada");
    lists.listsAddLeads(list, new Profiles().addProfilesItem(ada), "people-1");
    Lead lead = lists.listsLeadsPage(list, null, null, null, null, null, null).getData().get(0);

    long sender = new SendersApi(client).accountsPage(null, null).getData().get(0).getId();
    var step = new GivenStep().type(GivenStep.TypeEnum.CONNECTION_REQUEST).message("Hello {{first_name}}");
    var draft = new NewCampaign().name("In spring").listId(list).addAccountIdsItem(sender).addSequenceItem(step);
    CampaignsApi campaigns = new CampaignsApi(client);
    long campaign = campaigns.campaignsCreate(draft, null).getId();
    var shown = campaigns.campaignStatisticsPreview(campaign, new PreviewOf().leadId(lead.getId()), null);
    List<String> messages = shown.getSteps().get(0).getMessages();
    Object status = campaigns.campaignsStart(campaign, null, null).getStatus();
    System.out.println(secret + " " + status + " " + messages.get(0));

    System.in.read(); // some days pass
    var events = hooks.eventsPage(null, null, "invite_sent", null, null, null).getData();
    System.out.println(events.size() + " " + events.get(0).getType());
  }
}
